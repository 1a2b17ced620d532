import type { JSONWebKeySet } from 'jose';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/** Data about the lab from the page. */
export interface WorkbenchLab {
  issuer: string;
  audience: string;
  keys: JSONWebKeySet;
  /** Controls of the lab's resource server. */
  switches: readonly { id: ControlSwitch; title: string }[];
}
