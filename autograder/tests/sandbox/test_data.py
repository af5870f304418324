"""The course's data in a graded notebook: the shipped sets are there, the downloaded ones say why they are not."""

import pytest

pytestmark = pytest.mark.jail


def test_the_shipped_data_are_in_the_jail(jail):
    run = jail("from zerohero import data\nprint(len(data.names()), len(data.shakespeare()), data.digits()[0].shape, data.moons(5)[1].tolist())")
    assert run.cells[0].text == "29910 987370 (1797, 64) [1.0, -1.0, 1.0, -1.0, 1.0]\n"


def test_a_download_fails_in_the_jail_with_the_next_step(jail):
    run = jail("from zerohero import data\ndata.names_txt()")
    assert run.cells[0].error.startswith("DataMissing: no names.txt: ") and "data.names() is here without a download" in run.cells[0].error
