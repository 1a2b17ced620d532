/* Replaces `usual-exchange.ts` in the package for Node. */
export { nodeExchange as usualExchange } from '@/client/node-exchange';
