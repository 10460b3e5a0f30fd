//! Messages that change memory.

use bethink_domain::Timestamp;
use bethink_protocol::{
    CompleteTurn, Completed, Correct, Credit, Drain, Edit, Forget, ForgetReceipt, MemoryError, Pin,
    RecordTurn, Remember, Remembered,
};
use kameo::message::{Context, Message};
use kameo::reply::{DelegatedReply, Reply as KameoReply};

use super::{MemoryStore, Pending};
use crate::apply::{Answer, Command, check_text};

pub(super) type Delegated<T> = DelegatedReply<Result<T, MemoryError>>;

impl MemoryStore {
    /// Takes a command; its answer goes to whoever sent the message, once it is durable.
    pub(super) fn accept<T, R>(
        &mut self,
        command: Command,
        at: Timestamp,
        ctx: &mut Context<Self, R>,
        pick: fn(Answer) -> Option<T>,
    ) -> Delegated<T>
    where
        T: Send + 'static,
        R: KameoReply<Value = Result<T, MemoryError>>,
    {
        let (delegated, sender) = ctx.reply_sender();
        let reply = Box::new(move |answer: Result<Answer, MemoryError>| {
            let answer = answer.map(|answer| {
                pick(answer).expect("because each command has one kind of answer, which its handler picks")
            });
            if let Some(sender) = sender {
                sender.send(answer);
            }
        });
        self.seen_at = self.seen_at.max(at);
        self.submit(Pending { command, reply }, ctx.actor_ref());
        delegated
    }

    /// Refuses what can be refused at once, and lines up the rest.
    pub(super) fn submit(&mut self, pending: Pending, me: &kameo::actor::ActorRef<Self>) {
        if self.draining.is_some() {
            return (pending.reply)(Err(MemoryError::Unavailable("it is stopping".to_owned())));
        }
        let waiting = self.queue.len() + self.embedding.len() + self.in_flight.unwrap_or(0);
        if waiting >= self.rules.config.queue_max {
            return (pending.reply)(Err(MemoryError::Busy));
        }
        let limit = self.rules.config.text_bytes_max;
        if let Err(error) = pending.command.texts().try_for_each(|text| check_text(text, limit)) {
            return (pending.reply)(Err(error));
        }
        if self.args.slot.embedder().is_some() && pending.command.lacks_vectors() {
            self.embed_first(pending, me);
        } else {
            self.queue.push_back(pending);
            self.start_commit(me);
        }
    }
}

fn remembered(answer: Answer) -> Option<Remembered> {
    if let Answer::Remembered(remembered) = answer { Some(remembered) } else { None }
}

pub(super) fn done(answer: Answer) -> Option<()> {
    if answer == Answer::Done { Some(()) } else { None }
}

impl Message<Remember> for MemoryStore {
    type Reply = Delegated<Remembered>;

    async fn handle(&mut self, remember: Remember, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = remember.at;
        self.accept(Command::Remember { remember, masked: Vec::new() }, at, ctx, remembered)
    }
}

impl Message<CompleteTurn> for MemoryStore {
    type Reply = Delegated<Completed>;

    async fn handle(&mut self, turn: CompleteTurn, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = turn.exchange.at;
        self.accept(Command::CompleteTurn(Box::new(turn)), at, ctx, |answer| {
            if let Answer::Completed(completed) = answer { Some(completed) } else { None }
        })
    }
}

impl Message<RecordTurn> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, turn: RecordTurn, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = turn.record.at;
        self.accept(Command::RecordTurn(Box::new(turn)), at, ctx, done)
    }
}

impl Message<Credit> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, credit: Credit, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = credit.at;
        self.accept(Command::Credit(credit), at, ctx, done)
    }
}

impl Message<Correct> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, correct: Correct, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = correct.at;
        self.accept(Command::Correct(correct), at, ctx, done)
    }
}

impl Message<Forget> for MemoryStore {
    type Reply = Delegated<ForgetReceipt>;

    async fn handle(&mut self, forget: Forget, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = forget.at;
        self.accept(Command::Forget(forget), at, ctx, |answer| {
            if let Answer::Forgotten(receipt) = answer { Some(receipt) } else { None }
        })
    }
}

impl Message<Pin> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, pin: Pin, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = pin.at;
        self.accept(Command::Pin(pin), at, ctx, done)
    }
}

impl Message<Edit> for MemoryStore {
    type Reply = Delegated<Remembered>;

    async fn handle(&mut self, edit: Edit, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = edit.at;
        let command = Command::Edit { edit, masked: Vec::new(), embedding: None };
        self.accept(command, at, ctx, remembered)
    }
}

impl Message<Drain> for MemoryStore {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: Drain, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (delegated, sender) = ctx.reply_sender();
        self.draining.get_or_insert_default().extend(sender);
        self.sealing.call_off();
        self.go_on(ctx.actor_ref());
        delegated
    }
}
