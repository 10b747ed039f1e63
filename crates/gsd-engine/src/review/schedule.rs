//! Who runs when: different adapters side by side, one adapter in series.
//!
//! Lanes of one adapter share an account, a rate limit and often a state folder, so they wait for
//! each other. A job that panics is one lost job; the others go on.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// One piece of work and the adapter that it needs for itself.
#[derive(Debug)]
pub(super) struct Job<J> {
    pub(super) adapter: String,
    pub(super) work: J,
}

/// What a worker tells while it works.
#[derive(Debug)]
pub(super) enum Message<E, R> {
    Event(E),
    /// The job with this index is done; `None` if it panicked.
    Done(usize, Option<R>),
}

/// Runs all jobs, at most `at_once` side by side, and hands every message to `receive` on the
/// calling thread, in the order in which they were sent. Jobs of one adapter keep their order.
pub(super) fn run<J, E, R>(
    jobs: Vec<Job<J>>,
    at_once: usize,
    work: impl Fn(J, &dyn Fn(E)) -> R + Sync,
    mut receive: impl FnMut(Message<E, R>),
) where
    J: Send,
    E: Send,
    R: Send,
{
    let queues = Mutex::new(queues(jobs));
    let workers = lock(&queues).len().min(at_once.max(1));
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender: Sender<Message<E, R>> = sender.clone();
            let (queues, work) = (&queues, &work);
            scope.spawn(move || {
                loop {
                    let Some(queue) = lock(queues).pop_front() else { break };
                    for (index, job) in queue {
                        // The receiver lives until every worker is gone.
                        let tell = |event| {
                            let _ = sender.send(Message::Event(event));
                        };
                        let result = catch_unwind(AssertUnwindSafe(|| work(job, &tell))).ok();
                        let _ = sender.send(Message::Done(index, result));
                    }
                }
            });
        }
        drop(sender);
        for message in receiver {
            receive(message);
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Queue<J> = Vec<(usize, J)>;

/// One queue for each adapter, in the order of their first jobs.
fn queues<J>(jobs: Vec<Job<J>>) -> VecDeque<Queue<J>> {
    let mut queues: Vec<(String, Queue<J>)> = vec![];
    for (index, job) in jobs.into_iter().enumerate() {
        match queues.iter_mut().find(|(adapter, _)| *adapter == job.adapter) {
            Some((_, queue)) => queue.push((index, job.work)),
            None => queues.push((job.adapter, vec![(index, job.work)])),
        }
    }
    queues.into_iter().map(|(_, queue)| queue).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn job(adapter: &str, work: usize) -> Job<usize> {
        Job { adapter: adapter.to_owned(), work }
    }

    fn results(
        jobs: Vec<Job<usize>>,
        at_once: usize,
        work: impl Fn(usize) -> usize + Sync,
    ) -> BTreeMap<usize, Option<usize>> {
        let mut done = BTreeMap::new();
        run(
            jobs,
            at_once,
            |job, _: &dyn Fn(())| work(job),
            |message| match message {
                Message::Event(()) => {}
                Message::Done(index, result) => {
                    done.insert(index, result);
                }
            },
        );
        done
    }

    #[test]
    fn different_adapters_run_side_by_side() {
        // Each job waits for the other one: in series this would never end.
        let barrier = Barrier::new(2);
        let done = results(vec![job("a", 1), job("b", 2)], 8, |job| {
            barrier.wait();
            job
        });
        assert_eq!(done, BTreeMap::from([(0, Some(1)), (1, Some(2))]));
    }

    #[test]
    fn one_adapter_runs_in_series_and_in_order() {
        let running = AtomicUsize::new(0);
        let order = Mutex::new(vec![]);
        let jobs = (0..6).map(|n| job("same", n)).collect();
        results(jobs, 8, |job| {
            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
            lock(&order).push(job);
            running.fetch_sub(1, Ordering::SeqCst);
            job
        });
        assert_eq!(*lock(&order), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn at_most_so_many_at_once() {
        let running = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let jobs = (0..12).map(|n| job(&n.to_string(), n)).collect();
        let done = results(jobs, 3, |job| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            job
        });
        assert_eq!(done.len(), 12);
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
    }

    #[test]
    fn a_panic_is_one_lost_job() {
        let done = results(vec![job("a", 1), job("a", 2), job("b", 3)], 2, |job| {
            assert_ne!(job, 1, "a bug");
            job
        });
        assert_eq!(done, BTreeMap::from([(0, None), (1, Some(2)), (2, Some(3))]));
    }
}
