//! The sources that other crates provide: `proptest` and `quickcheck`, and how they shrink.

#[cfg(feature = "proptest")]
mod with_proptest {
    use asr_generators::native::{NativeOp, NativeScript};
    use asr_generators::sessions::session;
    use asr_generators::{Kind, Op, Script, Settings, script};
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::{Config, TestError, TestRunner};

    fn runner() -> TestRunner {
        TestRunner::new(Config { failure_persistence: None, cases: 1_000, ..Config::default() })
    }

    #[test]
    fn a_failure_shrinks_to_the_operations_that_it_needs() {
        let result = runner().run(&script(Settings::default()), |script| {
            let rewinds = script.ops.iter().filter(|op| op.kind() == Kind::Rewind).count();
            proptest::prop_assert!(rewinds < 2);
            Ok(())
        });
        let Err(TestError::Fail(_, script)) = result else { panic!("{result:?}") };
        assert_eq!(script, Script::from_iter([Op::plain(Kind::Rewind), Op::plain(Kind::Rewind)]));
    }

    #[test]
    fn shrinking_what_always_fails_ends_at_nothing() {
        for _ in 0..50 {
            let mut tree = script(Settings::broken()).new_tree(&mut runner()).unwrap();
            while tree.simplify() {}
            assert_eq!(tree.current(), Script::default());
        }
    }

    /// Where no simplification fails, the first value is what is reported.
    #[test]
    fn shrinking_what_never_fails_again_ends_where_it_began() {
        let mut tree = script(Settings::default()).new_tree(&mut runner()).unwrap();
        let first = tree.current();
        if tree.simplify() {
            while tree.complicate() {}
        }
        assert_eq!(tree.current(), first);
    }

    #[test]
    fn native_sessions_shrink_as_well() {
        let result = runner().run(&session::<NativeOp>(Settings::default()), |script| {
            proptest::prop_assert!(script.ops.len() < 3);
            Ok(())
        });
        let Err(TestError::Fail(_, script)) = result else { panic!("{result:?}") };
        assert_eq!(script, NativeScript::from_bytes(&[0; 48]));
    }
}

#[cfg(feature = "quickcheck")]
mod with_quickcheck {
    use asr_generators::native::NativeScript;
    use asr_generators::{Kind, Script};
    use quickcheck::{Arbitrary, Gen, QuickCheck};

    #[test]
    fn scripts_come_in_the_size_of_the_generator_and_render() {
        fn holds(script: Script) -> bool {
            script.render();
            script.lines() <= 30
        }
        QuickCheck::new().rng(Gen::new(30)).tests(500).quickcheck(holds as fn(Script) -> bool);
    }

    #[test]
    fn shrinking_leads_to_a_script_that_nothing_can_be_taken_from() {
        let needs = |script: &Script| script.ops.iter().any(|op| op.kind() == Kind::Compaction);
        let mut g = Gen::new(24);
        let scripts = std::iter::repeat_with(|| Script::arbitrary(&mut g)).filter(needs);
        for mut script in scripts.take(20) {
            while let Some(simpler) = script.shrink().find(needs) {
                script = simpler;
            }
            assert_eq!(script.ops, [asr_generators::Op::plain(Kind::Compaction)]);
        }
    }

    #[test]
    fn native_sessions_come_as_well() {
        let script = NativeScript::arbitrary(&mut Gen::new(10));
        assert!(script.records().len() <= 10);
        assert!(script.shrink().all(|simpler| simpler.ops.len() <= script.ops.len()));
    }
}
