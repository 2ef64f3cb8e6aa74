-- run in single-user mode when the password file in the home was lost
ALTER ROLE windrow PASSWORD ':password';
