import type { Controls } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { LabState } from '@/lib/oauth/lab/state';
import type { Millis } from '@/lib/units';

/** What the lab needs of the world. Everything else that decides an answer is in the request and the controls. */
export interface LabServices {
  /** The origin under which the caller reaches the lab, without a trailing slash: it is the issuer. */
  origin: string;
  state: LabState;
  now(): Millis;
  random(length: number): Uint8Array;
}

/** The lab as one request finds it. */
export interface Lab extends LabServices {
  controls: Controls;
}

/** One endpoint of the lab: a pure function of request and lab. It notes what is wrong with the request, waived or not. */
export type LabHandler = (request: Request, lab: Lab, violations: Violations) => Promise<Response>;
