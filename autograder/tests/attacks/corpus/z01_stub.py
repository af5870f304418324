"""Control: wrong answers, no cheating. No points."""

EVIDENCE = "BEGUN"
