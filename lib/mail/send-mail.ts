import type { SmtpServer } from '@/lib/mail/smtp-url';
import type { Millis } from '@/lib/units';

/** A mail in plain text to one address. */
export interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
  /** The same in each attempt, so that mail systems can tell a copy. */
  messageId: string;
  /** The id of the thread that it belongs to. */
  references?: string | undefined;
  headers: Readonly<Record<string, string>>;
}

/** What the mail server answered. */
interface SmtpAnswer {
  ok: boolean;
  /** The reply code (RFC 5321 4.2); null when there was no reply. */
  status: number | null;
  /** The text of the reply, or why there was none. May repeat what was sent, credentials included. */
  answer: string;
}

/** Hands a mail to a server. Never rejects. @param timeout for the whole of it */
export async function sendMail(server: SmtpServer, mail: Mail, timeout: Millis): Promise<SmtpAnswer> {
  // Few processes ever send a mail: it is loaded with the first.
  const { createTransport } = await import('nodemailer');
  const signal = AbortSignal.timeout(timeout);
  // Of single steps: later, so that it is the signal that ends them.
  const later = 2 * timeout;
  const timeouts = { connectionTimeout: later, greetingTimeout: later, socketTimeout: later, dnsTimeout: later };
  const transport = createTransport({ ...server, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  try {
    const { response } = await transport.sendMail({ ...mail, headers: { ...mail.headers }, signal });
    return { ok: true, ...replyIn(response) };
  } catch (error) {
    if (signal.aborted) return { ok: false, status: null, answer: `No answer within ${timeout / 1_000} s.` };
    return { ok: false, ...refusalIn(error) };
  } finally {
    transport.close();
  }
}

/** What an error says: the step that failed, and the reply to it if there was one. */
function refusalIn(error: unknown): Pick<SmtpAnswer, 'status' | 'answer'> {
  if (!(error instanceof Error)) return { status: null, answer: 'There was no answer.' };
  const { message } = error;
  if (!('response' in error) || typeof error.response !== 'string') return { status: null, answer: message };
  const { status, answer } = replyIn(error.response);
  return { status, answer: message.replace(error.response, () => answer) };
}

/** A reply without its code, which a reply in several lines has before each. */
function replyIn(reply: string): Pick<SmtpAnswer, 'status' | 'answer'> {
  const code = /^[2-5]\d\d(?=[ -]|$)/.exec(reply)?.[0];
  return { status: code === undefined ? null : Number(code), answer: reply.replaceAll(/^[2-5]\d\d[ -]?/gm, '') };
}
