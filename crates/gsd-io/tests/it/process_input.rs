//! Stdin, and what happens when it meets stdout.

use crate::process::{World, bytes, generous, short, stdout};
use gsd_io::process::{Delivered, End, Phase};

#[test]
fn no_stdin_is_the_end_of_file_at_once() {
    let world = World::new();
    let exit = world.run(&world.fake(&["read-stdin", "print done"]), &generous());
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "done"));
    let mut command = world.fake(&["read-stdin", "print done"]);
    command.stdin = bytes(b"");
    let exit = world.run(&command, &generous());
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "done"));
    assert!(exit.stdin_delivered.all());
}

#[test]
fn a_big_prompt_arrives_whole() {
    let world = World::new();
    let mut command = world.fake(&["hash-stdin"]);
    // More than all arguments together may have; no two blocks of it are alike.
    let prompt: Vec<u8> = (0..3_000_000u64).map(|at| (((at * at) >> 7) % 251) as u8).collect();
    command.stdin = bytes(&prompt);
    let exit = world.run(&command, &generous());
    // As another program computed it.
    let hash = "52a2e6d1e38d8fff451b01349b3de2cb1d72e2cd0105434aeefa875b1e7bf601";
    assert_eq!(stdout(&exit), format!("{hash} 3000000\n"));
    assert!(exit.stdin_delivered.all());
}

#[test]
fn much_in_and_much_out_at_the_same_time_do_not_block_each_other() {
    let world = World::new();
    let prompt = vec![b'p'; 4 << 20];
    let mut command = world.fake(&["echo-stdin"]);
    command.stdin = bytes(&prompt);
    let exit = world.run(&command, &generous());
    assert_eq!(exit.end, End::Exited(0));
    assert!(exit.stdout.whole() == Some(&prompt), "echoed {} bytes", exit.stdout.total());
    assert!(exit.stdin_delivered.all());
}

#[test]
fn a_program_may_write_a_lot_before_it_reads() {
    let world = World::new();
    let mut command = world.fake(&["bytes 1_000_000", "ebytes 1_000_000", "hash-stdin"]);
    command.stdin = bytes(&vec![b'p'; 1 << 20]);
    let exit = world.run(&command, &generous());
    assert_eq!(exit.end, End::Exited(0));
    assert!(exit.stdin_delivered.all());
    assert_eq!(exit.stderr.total(), 1_000_000);
}

#[test]
fn a_program_may_leave_its_stdin_unread() {
    let world = World::new();
    for size in [1, 1000, 60_000, 5 << 20] {
        let mut command = world.fake(&["print done"]);
        command.stdin = bytes(&vec![b'p'; size]);
        let exit = world.run(&command, &generous());
        assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "done"));
        assert_eq!(exit.stdin_delivered, Delivered { taken: 0, of: size as u64 });
        assert_eq!(exit.stderr.total(), 0, "a broken pipe is nobody's business");
    }
}

#[test]
fn what_was_taken_is_counted_to_the_byte() {
    let world = World::new();
    for (some, of) in [(10u64, 10u64), (10, 11), (1000, 60_000), (100_000, 5 << 20)] {
        let mut command = world.fake(&[&format!("read-some {some}"), "print done"]);
        command.stdin = bytes(&vec![b'p'; of as usize]);
        let delivered = world.run(&command, &generous()).stdin_delivered;
        assert_eq!(delivered, Delivered { taken: some, of });
    }
}

#[test]
fn a_program_that_closes_stdin_early_is_not_waited_for() {
    let world = World::new();
    let mut command = world.fake(&["close stdin", "print done"]);
    command.stdin = bytes(&vec![b'p'; 5 << 20]);
    let exit = world.run(&command, &generous());
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "done"));
    assert!(!exit.stdin_delivered.all());
}

#[test]
fn a_program_that_hangs_with_its_stdin_full_ends_at_the_deadline() {
    let world = World::new();
    let mut command = world.fake(&["hang"]);
    command.stdin = bytes(&vec![b'p'; 5 << 20]);
    let exit = world.run(&command, &short());
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
    assert_eq!(exit.stdin_delivered, Delivered { taken: 0, of: 5 << 20 });
}
