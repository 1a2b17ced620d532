/* `sluice/client` for Deno and Bun. Edge runtimes have no `setImmediate`, and may refuse code that names it. */
import { Sluice, SluiceError, type SluiceOptions } from '@/client/index';

/** Client that batches all checks whose requests arrived at the same time. */
class ImmediateSluice extends Sluice {
  constructor(options: SluiceOptions) {
    super({ afterInput: globalThis.setImmediate, ...options });
  }
}

export { ImmediateSluice as Sluice, SluiceError };
