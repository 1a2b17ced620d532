// @ts-check
import { createHash } from 'node:crypto';

/** First line of a script, with a flag that only Upstash's Redis accepts. */
const FLAGS = /^#!lua flags=allow-key-locking\s*\n/;

/**
 * Answers like Upstash's REST API, from a local Redis: one command, or several for `/pipeline`.
 * https://upstash.com/docs/redis/features/restapi
 * @param {import('ioredis').Redis} redis
 * @returns {(path: string, body: unknown, encoded: boolean) => Promise<any>} the JSON of an answer
 */
export function upstashCommands(redis) {
  /** SHA-1 of scripts in Redis, by their SHA-1 with the flag. @type {Map<string, string>} */
  const scripts = new Map();
  /** @param {string[]} command */
  const understood = ([name = '', script = '', ...rest]) => {
    if (name.toLowerCase() === 'evalsha') return [name, scripts.get(script) ?? script, ...rest];
    if (name.toLowerCase() !== 'eval') return [name, script, ...rest];
    const plain = script.replace(FLAGS, '');
    scripts.set(sha1(script), sha1(plain));
    return [name, plain, ...rest];
  };
  /** @param {readonly unknown[]} command @param {boolean} encoded strings in base64, as Upstash's client asks for */
  const run = async (command, encoded) => {
    try {
      const [name = '', ...args] = understood(command.map(String));
      const result = await redis.call(name, ...args);
      return { result: encoded ? encode(result) : result };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  return async (path, body, encoded) => {
    const commands = /** @type {unknown[]} */ (body);
    if (!path.endsWith('pipeline')) return run(commands, encoded);
    return Promise.all(commands.map((command) => run(/** @type {unknown[]} */ (command), encoded)));
  };
}

/** @param {string} text */
const sha1 = (text) => createHash('sha1').update(text).digest('hex');

/** @param {unknown} value @returns {unknown} */
function encode(value) {
  if (Array.isArray(value)) return value.map(encode);
  return typeof value === 'string' && value !== 'OK' ? Buffer.from(value).toString('base64') : value;
}
