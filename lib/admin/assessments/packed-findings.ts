import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type KeptFindings, KeptFindingsSchema } from '@/lib/contract/assessment-events';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Most characters of bodies in one report. A typical server sends a tenth of it. */
const MOST_TEXT = 16 * 1024 * 1024;
/** Characters kept of each body if a report exceeds that. */
const SHORT_BODY = 2_048;

/** Fast, and within a few percent of the best ratio: about 45 KB for a report of 2 MB. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Packs findings as JSON compressed with Brotli. Shortens the bodies if they exceed `MOST_TEXT` together. */
export async function packFindings(findings: KeptFindings): Promise<Buffer> {
  const size = findings
    .flatMap(({ exchanges }) => exchanges)
    .reduce((sum, { request, response }) => sum + request.body.length + response.body.length, 0);
  return compress(JSON.stringify(size > MOST_TEXT ? findings.map(withShortBodies) : findings), OPTIONS);
}

function withShortBodies(finding: KeptFindings[number]): KeptFindings[number] {
  const short = <Message extends { body: string }>(message: Message): Message => ({
    ...message,
    body: message.body.slice(0, SHORT_BODY),
  });
  const exchanges = finding.exchanges.map((exchange) => ({
    ...exchange,
    request: short(exchange.request),
    response: short(exchange.response),
  }));
  return { ...finding, exchanges };
}

export async function unpackFindings(packed: Buffer): Promise<KeptFindings> {
  return KeptFindingsSchema.parse(JSON.parse((await decompress(packed)).toString('utf8')));
}
