import { OperationCall } from '@/client/call';
import type { TransportOptions } from '@/client/transport';

interface Client {
  readonly transport: TransportOptions;
}

/**
 * Gives a class of clients a method for each operation, named by its command: `allowlist add` is `allowlist.add`.
 * @param names each noun with its verbs, `allowlist add list,check`; a command without a verb has the noun alone
 */
export function defineOperations(prototype: object, names: string): void {
  const define = (name: string, of: (client: Client) => unknown) =>
    Object.defineProperty(prototype, camelCase(name), {
      configurable: true,
      get(this: Client) {
        return of(this);
      },
    });
  for (const words of names.split(',')) {
    const [noun = '', ...verbs] = words.split(' ');
    if (verbs.length === 0) define(noun, (client) => method(client, noun));
    else {
      define(noun, (client) =>
        Object.fromEntries(verbs.map((verb) => [camelCase(verb), method(client, `${noun} ${verb}`)])),
      );
    }
  }
}

function method({ transport }: Client, command: string) {
  return (...given: unknown[]) =>
    new OperationCall(import('@/client/operation-call').then(({ beginCall }) => beginCall(transport, command, given)));
}

/** `check-batch` is `checkBatch`. */
function camelCase(word: string): string {
  return word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
