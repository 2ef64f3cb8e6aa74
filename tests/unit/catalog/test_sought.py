"""From words to queries of the index and patterns of rows."""

from windrow.catalog.sought import Sought


def test_every_word_may_be_in_the_name_or_elsewhere_and_the_last_may_go_on() -> None:
    sought = Sought(words=("kv", "sto"), unfinished=True)

    assert sought.anywhere == "('~nkv'|'~okv')&('~nsto':*|'~osto':*)"
    assert sought.begun == "('~nkv'|'~okv')"
    assert sought.in_name == "('~nkv')&('~nsto')"
    assert sought.as_name == ""
    assert sought.beginning == "('~nsto':*|'~osto':*)"
    assert sought.patterns == [" kv ", " sto"]
    assert sought.whole == " kv sto "


def test_a_single_word_may_be_a_whole_name() -> None:
    sought = Sought(words=("sto",), unfinished=True)

    assert (sought.in_name, sought.as_name) == ("('~nsto':*)", "('~esto')")
    assert sought.begun == ""


def test_filters_and_what_must_not_be_there_narrow_every_query() -> None:
    sought = Sought(words=("a",), without=(("b",), ("c", "d"), ()), entity_type=("page",), endpoint="wiki")
    narrowing = "('~opage')&!('~nb'|'~ob')&('~@wiki')"

    assert sought.anywhere == f"('~na'|'~oa')&{narrowing}"
    assert sought.in_name == f"('~na')&{narrowing}"
    assert sought.as_name == f"('~ea')&{narrowing}"
    assert sought.barred == [" b ", " c d "]


def test_nothing_is_looked_for_without_a_word_or_a_filter_that_has_one() -> None:
    assert Sought(without=(("a",),), endpoint="wiki").anywhere == ""
    assert Sought(entity_type=("page",)).anywhere == "('~opage')"
    assert Sought(entity_type=("page",)).in_name == ""


def test_a_label_and_an_owner_are_each_one_word_whatever_they_are_made_of() -> None:
    hashed = "('~lbda9643ac6601722')&('~u391fd5990ca0b4a4')"

    assert Sought(label="red", owner="☃ 'x'").anywhere == hashed
    assert Sought(label="red", owner="☃ 'x'", words=("a",), unfinished=True).begun == hashed


def test_no_word_can_leave_its_quotes() -> None:
    assert Sought(words=("it's", "a\\b")).anywhere == "('~nit''s'|'~oit''s')&('~na\\\\b'|'~oa\\\\b')"
