import { ATTACKER, OFFICE, PATHS, SCRAPER, USERS } from './cast.mjs';
import { around, pick, seeded } from './random.mjs';

const BEAT = 1_000;
const MEANS = { read: 4.5, write: 1, auth: 0.2, sensitive: 0.15 };

/** Real requests to the decision API, about six a second, from `start` until the function that it answers is called. */
export function startLiveTraffic({ api, keys }) {
  const random = seeded(7);
  const usable = keys.filter((key) => !key.revoked && key.used < 0.9 && key.quiet_hours === undefined);
  const check = (name, subject) => {
    const [method, path] = pick(random, PATHS[name]);
    return { class: name, method, path, ...subject };
  };
  const beat = (many = 1) => {
    const checks = [];
    for (const [name, mean] of Object.entries(MEANS)) {
      for (let left = around(random, mean * many); left > 0; left -= 1) {
        const subject = { ip: `203.0.113.${70 + Math.floor(random() * 180)}` };
        if (random() < 0.4) subject.user_id = pick(random, USERS.slice(1));
        if (random() < 0.2) subject.api_key = pick(random, usable).secret;
        checks.push(check(name, subject));
      }
    }
    for (let left = around(random, 0.7 * many); left > 0; left -= 1) checks.push(check('read', { ip: SCRAPER }));
    for (let left = around(random, 0.9 * many); left > 0; left -= 1) checks.push(check('auth', { ip: ATTACKER }));
    if (random() < 0.04 * many) checks.push(check('read', { ip: OFFICE }));
    return api('POST', '/v1/check/batch', checks);
  };
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = beat().catch((error) => console.error(`Live traffic: ${error.message}`));
  }, BEAT);
  return {
    /** The traffic of a minute at once, so that nothing looks as if it had just begun. */
    warmUp: () => beat(12),
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
