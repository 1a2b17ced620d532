import { ParseError, parseDictionary, serializeDictionary } from 'structured-headers';
import {
  type Controls,
  enableRequirements,
  type FapiRequirement,
  isControlSwitch,
  isFapiRequirement,
  listDisabledControls,
  type Requirements,
  SECURE_CONTROLS,
} from '@/lib/oauth/lab/controls';

/** Request header that weakens the lab for one request, or makes it stricter: an RFC 9651 dictionary of booleans. */
export const CONTROLS_HEADER = 'Sluice-Lab-Controls';

/** Result of reading the header: the controls and requirements, or a sentence about its fault. */
type ControlsReading = { ok: true; controls: Controls; requirements: Requirements } | { ok: false; problem: string };

/**
 * Reads the header's value (RFC 9651 section 4.2.2). Without one every control is on, and no requirement of FAPI 2.0. An unlisted key, or a value that
 * is not a boolean, is rejected, because a misspelt switch must not look like a secure server.
 */
export function readControlsHeader(value: string | null): ControlsReading {
  if (value === null) return { ok: true, controls: SECURE_CONTROLS, requirements: enableRequirements() };
  const createProblem = (what: string): ControlsReading => ({ ok: false, problem: CONTROLS_HEADER + what });
  const controls = { ...SECURE_CONTROLS };
  const requirements = { ...enableRequirements() };
  try {
    for (const [key, member] of parseDictionary(value)) {
      const [setting] = member;
      const isRequirement = isFapiRequirement(key);
      if (!isRequirement && !isControlSwitch(key)) return createProblem(' names a control that has no switch.');
      if (typeof setting !== 'boolean') return createProblem(`: ${key} must be a boolean, ?1 or ?0.`);
      if (isRequirement) requirements[key] = setting;
      else controls[key] = setting;
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return createProblem(' is not a structured field dictionary (RFC 9651).');
  }
  return { ok: true, controls, requirements };
}

/**
 * Formats the header's value. It names only the controls that are off, and the requirements that are on. Returns null
 * if there are none.
 */
export function writeControlsHeader(controls: Controls, on: readonly FapiRequirement[] = []): string | null {
  const off = listDisabledControls(controls);
  const settings = [...off.map((id) => [id, false] as const), ...on.map((id) => [id, true] as const)];
  return settings.length === 0 ? null : serializeDictionary(Object.fromEntries(settings));
}
