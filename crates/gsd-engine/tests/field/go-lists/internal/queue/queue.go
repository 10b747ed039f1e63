package queue

type Queue struct{}

func New() *Queue { return &Queue{} }
