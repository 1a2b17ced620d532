import type { JSONWebKeySet } from 'jose';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/** What the workbench knows of the lab, from the page. */
export interface WorkbenchLab {
  issuer: string;
  audience: string;
  keys: JSONWebKeySet;
  /** The controls of its resource server. */
  switches: readonly { id: ControlSwitch; title: string }[];
}
