import type { SmtpServer } from '@/lib/mail/smtp-url';
import type { Millis } from '@/lib/units';

/** A mail in plain text to one address. */
export interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
  /** Id of the mail. It is the same in each attempt, so that mail systems can detect copies. */
  messageId: string;
  /** Id of the thread that the mail belongs to. */
  references?: string | undefined;
  headers: Readonly<Record<string, string>>;
}

/** Answer of the mail server. */
interface SmtpAnswer {
  ok: boolean;
  /** Reply code (RFC 5321 4.2). Null if there was no reply. */
  status: number | null;
  /** Text of the reply, or the reason why there was none. May repeat what was sent, including credentials. */
  answer: string;
}

/** Sends a mail through a server. Never rejects. @param timeout limit for the whole call */
export async function sendMail(server: SmtpServer, mail: Mail, timeout: Millis): Promise<SmtpAnswer> {
  // The module is loaded with the first mail, because few processes ever send one.
  const { createTransport } = await import('nodemailer');
  const signal = AbortSignal.timeout(timeout);
  // Timeouts of single steps are longer, so that the signal ends the call.
  const later = 2 * timeout;
  const timeouts = { connectionTimeout: later, greetingTimeout: later, socketTimeout: later, dnsTimeout: later };
  const transport = createTransport({ ...server, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  try {
    const { response } = await transport.sendMail({ ...mail, headers: { ...mail.headers }, signal });
    return { ok: true, ...splitReply(response) };
  } catch (error) {
    if (signal.aborted) return { ok: false, status: null, answer: `No answer within ${timeout / 1_000} s.` };
    return { ok: false, ...parseRefusal(error) };
  } finally {
    transport.close();
  }
}

/** Reads an error: the step that failed, and the reply to it if there was one. */
function parseRefusal(error: unknown): Pick<SmtpAnswer, 'status' | 'answer'> {
  if (!(error instanceof Error)) return { status: null, answer: 'There was no answer.' };
  const { message } = error;
  if (!('response' in error) || typeof error.response !== 'string') return { status: null, answer: message };
  const { status, answer } = splitReply(error.response);
  return { status, answer: message.replace(error.response, () => answer) };
}

/** Splits a reply into code and text. A reply of several lines repeats the code on each. */
function splitReply(reply: string): Pick<SmtpAnswer, 'status' | 'answer'> {
  const code = /^[2-5]\d\d(?=[ -]|$)/.exec(reply)?.[0];
  return { status: code === undefined ? null : Number(code), answer: reply.replaceAll(/^[2-5]\d\d[ -]?/gm, '') };
}
