/* `sluice/client` for Node. */
import { Sluice, SluiceError, type SluiceOptions } from '@/client/index';
import { createNodeExchange } from '@/client/node-exchange';

/** Client that sends checks by `node:http`, and batches all whose requests arrived at the same time. */
class NodeSluice extends Sluice {
  constructor(options: SluiceOptions) {
    super({ exchange: createNodeExchange, afterInput: setImmediate, ...options });
  }
}

export { NodeSluice as Sluice, SluiceError };
