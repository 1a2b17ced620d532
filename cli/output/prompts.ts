import { confirm, isCancel, password, text } from '@clack/prompts';
import { DECLINED, EXIT, Failure } from '@/cli/failure';
import type { Streams } from '@/cli/output/streams';

const createCancellation = () => new Failure(EXIT.interrupted, 'cancelled', 'Cancelled; nothing was changed.');

/** Asks a question. @throws Failure with exit code 1 if the answer is no, 130 on Ctrl-C */
export async function askToConfirm(question: string, { stdin, stderr }: Streams): Promise<void> {
  const answer = await confirm({ message: question, initialValue: false, input: stdin, output: stderr });
  if (isCancel(answer)) throw createCancellation();
  if (!answer) throw new Failure(EXIT.refused, DECLINED, 'Nothing was changed.');
}

/** Asks for a line of text. @throws Failure if it is cancelled */
export async function askFor(question: string, { stdin, stderr }: Streams, isHidden: boolean): Promise<string> {
  const options = { message: question, input: stdin, output: stderr };
  const answer = await (isHidden ? password(options) : text(options));
  if (isCancel(answer)) throw createCancellation();
  return answer ?? '';
}
