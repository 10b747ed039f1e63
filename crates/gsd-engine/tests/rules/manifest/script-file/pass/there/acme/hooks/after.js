// after
