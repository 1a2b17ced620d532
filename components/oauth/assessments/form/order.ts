import { formatSentence } from '@/components/form/format-sentence';
import { type AssessmentValues, buildServer, type FieldErrors } from '@/components/oauth/assessments/form/form-values';
import { LAB } from '@/components/oauth/assessments/form/remembered-form';
import type { NewAssessment } from '@/components/oauth/assessments/run/assessment-stream';
import { DisplayName } from '@/lib/contract/fields/text';

interface Order {
  name: string;
  target: string;
  /** Target under which the form is stored. */
  remembered: string;
  body: NewAssessment;
}

/** Builds the new assessment from the form, or returns the form's errors. @param redirectUri that of registered clients */
export function buildOrder(values: AssessmentValues, redirectUri: string): Order | { errors: FieldErrors } {
  const typed = values.name.trim();
  const name = typed === '' ? undefined : typed;
  const issue = DisplayName.optional().safeParse(name).error?.issues[0];
  const errors = issue === undefined ? [] : [{ path: 'name', message: formatSentence(issue.message) }];
  if (values.where === 'lab') {
    const target = { lab: { off: values.off, requirements: values.requirements } };
    return errors.length > 0
      ? { errors }
      : { name: name ?? 'Built-in lab', target: 'Built-in lab', remembered: LAB, body: { name, target } };
  }
  const parsed = buildServer(values, redirectUri);
  if ('errors' in parsed) return { errors: [...errors, ...parsed.errors] };
  if (errors.length > 0) return { errors };
  const { server } = parsed;
  const target = server.url ?? server.issuer ?? server.resource_url ?? server.endpoints?.authorization_endpoint ?? '';
  const host = URL.canParse(target) ? new URL(target).host : target;
  return { name: name ?? host, target, remembered: target, body: { name, target: { server } } };
}
