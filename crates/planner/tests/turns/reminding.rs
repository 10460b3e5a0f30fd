//! Partners of a Planner that see to reminders.

use bethink_domain::DueReminder;
use bethink_protocol::{
    Attend, Attended, Due, ListReminders, Look, MemoryError, Question, Raise, ReminderError, ReminderPorts,
    Reminders, Schedule, Scheduled, SetZone, Wish,
};
use kameo::prelude::*;

use crate::stage::{Partner, never_asked};

/// The ports of reminders.
pub(crate) fn ports(partner: &ActorRef<Partner>) -> ReminderPorts {
    ReminderPorts {
        schedule: partner.clone().reply_recipient(),
        attend: partner.clone().reply_recipient(),
        raise: partner.clone().reply_recipient(),
        set_zone: partner.clone().reply_recipient(),
        list: partner.clone().reply_recipient(),
        look: partner.clone().reply_recipient(),
    }
}

impl Message<Due> for Partner {
    type Reply = Result<Vec<DueReminder>, MemoryError>;

    async fn handle(&mut self, _: Due, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        Ok(self.0.script.lock().unwrap().due.clone())
    }
}

impl Message<Schedule> for Partner {
    type Reply = Result<Scheduled, ReminderError>;

    async fn handle(&mut self, schedule: Schedule, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let Wish::Utterance { text, answer } = schedule.wish else { panic!("a Planner passes words on") };
        self.0.log(format!("schedule {text}{}", answer.map(|a| format!(" / {a}")).unwrap_or_default()));
        let question = Question { kind: "time", said: "When?".to_owned(), options: Vec::new() };
        Ok(Scheduled::Asks(question))
    }
}

never_asked! {
    ReminderError::Invalid(String::new()) => ReminderError;
    Attend => Attended, Raise => usize, SetZone => String, ListReminders => Reminders, Look => (),
}
