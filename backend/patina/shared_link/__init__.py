"""Links that show an image, a profile, a run or a trial to readers without an account, until they expire."""
