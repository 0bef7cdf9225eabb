//! Every case of `fixtures/`, one by one, against both engines.

use asr_checker::fixtures::{Case, ExpectedReport, load};
use asr_checker::{Core, Engine, Oracle};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let cases = match load(&suite) {
        Ok(cases) if cases.is_empty() => {
            eprintln!("no case below {}", suite.display());
            return ExitCode::FAILURE;
        }
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let trials = cases.into_iter().flat_map(|case| {
        [&Oracle as &dyn Engine, &Core].map(|engine| {
            let case = case.clone();
            Trial::test(format!("{}::{}", engine.name(), case.id), move || run(engine, &case))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn run(engine: &dyn Engine, case: &Case) -> Result<(), Failed> {
    let session = engine.read(&case.input)?;
    for expectation in &case.expectations {
        let found = session.answer(&expectation.query);
        if found != expectation.outcome {
            return Err(format!(
                "{}\n  `{}`\n  expected {}\n  found    {found}",
                case.meta.title, expectation.query, expectation.outcome
            )
            .into());
        }
    }
    if let Some(expected) = &case.report {
        let found = session.validate();
        if ExpectedReport::from(&found) != *expected {
            let title = &case.meta.title;
            return Err(
                format!("{title}\n  `validate`\n  expected {expected:#?}\n  found    {found:#?}").into()
            );
        }
        if found.is_valid() != case.meta.valid {
            return Err(
                format!("meta.json says valid: {}, the report says otherwise", case.meta.valid).into()
            );
        }
    }
    Ok(())
}
