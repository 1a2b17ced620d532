import type { Logger } from 'pino';
import type { Millis } from '@/lib/units';

export interface RedisLinkOptions {
  /** Address, see `parseRedisUrl` and `parseRestEndpoint`. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Timeout of a call in milliseconds. By default 250 over a socket, 1,000 over HTTP. */
  commandTimeout?: Millis;
  /** True if the platform freezes this process between requests. See `ThawingLink`. */
  canFreeze?: boolean;
}

/** Type of the strings in a reply: text or bytes. */
export type ReplyType = 'text' | 'bytes';

/**
 * The way to a Redis: a socket, or HTTP. It fails fast, and calls do not wait for a server that is down. No call is
 * sent twice, because a group that was sent may have been counted. Every fault is a `StoreUnavailable`.
 */
export interface RedisLink {
  /** Number that changes if the next call may reach another server, or one without its data. At least 1 once open. */
  readonly generation: number;
  /** True if the server is a cluster. */
  readonly isCluster: boolean;
  /** Makes the first connection. @returns false if the server is down; the link keeps trying */
  connect(): Promise<boolean>;
  /**
   * Makes the first connection if `connect` has not, and checks the server.
   * @returns false if the server is down; the link keeps trying
   * @throws RedisUnsupported
   */
  open(): Promise<boolean>;
  /** Checks the link if the process may have been frozen. Null if no check is due. Never rejects. */
  thaw?(): Promise<void> | null;
  /**
   * Runs a script by its hash, or by its text if the server has not cached it.
   * @throws StoreUnavailable
   */
  run(script: string, keys: readonly string[], args: readonly (string | number)[], reply?: ReplyType): Promise<unknown>;
  /** @throws StoreUnavailable */
  runCommand(name: string, args: readonly (string | number)[]): Promise<unknown>;
  /** Scans for the keys that match a pattern, in steps. Keys can appear twice. @throws StoreUnavailable */
  scan(pattern: string): AsyncGenerator<string[]>;
  close(): void;
}
