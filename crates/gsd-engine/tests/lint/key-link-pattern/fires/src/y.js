stop()
