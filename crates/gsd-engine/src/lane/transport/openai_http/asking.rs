//! The prompt goes out, and again where the server only had no time for it.

use super::STREAM_FACTOR;
use super::probing::Choice;
use super::session::{Session, Step};
use crate::lane::During;
use crate::lane::LaneReport;
use crate::lane::handler::openai_compatible::verdict::{self, Again, seconds};
use crate::lane::handler::openai_compatible::{Streaming, request};
use crate::lane::retry;
use crate::lane::transport::Progress;
use gsd_io::http::{
    self, Cap, End, Exchange, HttpLimits, Partial, Request, Response, TooLarge, send,
};

impl Session<'_> {
    /// Sends the prompt, and again where the server only had no time for it.
    pub(super) fn ask(&self, prompt: &str, choice: &Choice) -> Step<LaneReport> {
        let url = self.prompt_url()?;
        let asked = self.asked(&choice.model, prompt.len() as u64, &choice.models);
        let mut streaming = self.call.streaming;
        let (mut loading, mut busy) = (false, false);
        let mut live = |sign: http::Progress| {
            let http::Progress { received: bytes, silent_for, .. } = sign;
            self.tell(Progress::Output { bytes, silent_for });
        };
        self.tell(Progress::Started);
        loop {
            let body = request(&choice.model, prompt, streaming, self.call.num_ctx);
            let post = Request::post_json(url.clone(), self.reach(), body);
            let exchange =
                send(self.outfit(post), &self.http_limits(streaming), self.cancel, &mut live);
            let exchange = self.bounded(exchange);
            let again = verdict::again(&exchange.end, streaming);
            let retry = match again {
                Again::No => false,
                Again::WhileLoading => {
                    loading = true;
                    self.pause(self.limits.pause)
                }
                Again::Unstreamed => {
                    streaming = Streaming::Never;
                    true
                }
                Again::Busy(wanted) => {
                    let first = !std::mem::replace(&mut busy, true);
                    let wait = retry::pause(wanted, self.limits.retry_pause);
                    if first && wait < self.left() {
                        self.tell(Progress::Pausing { wait });
                    }
                    first && self.pause(wait)
                }
            };
            if retry {
                continue;
            }
            // A cancel that came in a pause ends the call; one that came after the answer does not.
            let cancelled = again != Again::No && self.cancel.is_cancelled();
            let over = again == Again::WhileLoading || (loading && self.is_over(&exchange.end));
            if cancelled || over {
                return Ok(self.still_loading());
            }
            let mut report = verdict::report(&exchange, &asked);
            if report.during == Some(During::Total) {
                // The last attempt's limit was only what earlier ones had left.
                let total = seconds(self.limits.total);
                report.message = Some(format!("no whole answer within {total}"));
            }
            return Ok(report);
        }
    }

    /// A stream is many times as long as its text; what is none has the smaller cap as before.
    fn bounded(&self, exchange: Exchange) -> Exchange {
        let limit = self.limits.max_body;
        match exchange.end {
            End::Response(response)
                if response.body.len() as u64 > limit
                    && !response.content_type.starts_with("text/event-stream") =>
            {
                let Response { status, content_type, mut body, .. } = response;
                body.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                let partial = Partial::Body { status, content_type, bytes: body };
                let end = End::TooLarge(TooLarge { cap: Cap::Decoded, limit, partial });
                Exchange { end, ..exchange }
            }
            end => Exchange { end, ..exchange },
        }
    }

    fn http_limits(&self, streaming: Streaming) -> HttpLimits {
        let total = self.left();
        let max_body = match streaming {
            Streaming::Asked => self.limits.max_body.saturating_mul(STREAM_FACTOR),
            Streaming::Never => self.limits.max_body,
        };
        HttpLimits {
            connect: self.limits.connect,
            first_byte: self.limits.first_byte.min(total),
            idle: self.limits.idle,
            total,
            pace: None,
            max_body,
            max_compressed: max_body,
            max_ratio: self.limits.max_ratio,
        }
    }
}
