import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { Field } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';
import type { AskedQuestion } from '@/components/links/question-url';
import { Button } from '@/components/ui/button';
import { NativeSelect } from '@/components/ui/native-select';
import { CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { METHODS } from '@/components/vocabulary/methods';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { isUserId } from '@/lib/contract/fields/identifier';
import { isUuid } from '@/lib/contract/fields/ids';
import { LimitName, LimitSubject } from '@/lib/contract/fields/named-limit';
import { listApiKeys } from '@/lib/contract/keys';
import { parseAddress } from '@/lib/limiter/address';

const USER_MESSAGE = 'At most 256 characters, no control characters.';

const QuestionForm = z
  .object({
    method: z.string(),
    path: z.string().trim(),
    class: z.union([z.literal(''), EndpointClassSchema]),
    ip: z
      .string()
      .trim()
      .refine((text) => text === '' || parseAddress(text) !== null, 'Not a valid address.'),
    user_id: z.string().refine((text) => text === '' || isUserId(text), USER_MESSAGE),
    api_key_id: z.string().trim().max(256, 'At most 256 characters.'),
    client_id: z.string().refine((text) => text === '' || isUserId(text), USER_MESSAGE),
    limit: z
      .string()
      .trim()
      .refine((text) => text === '' || LimitName.safeParse(text).success, 'The name of a limit, such as sms.'),
    subject: z.string().refine((text) => text === '' || LimitSubject.safeParse(text).success, USER_MESSAGE),
  })
  .superRefine((question, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (question.path !== '' && !question.path.startsWith('/')) issue('path', 'A path starts with a slash.');
    const { limit, subject } = question;
    if (limit === '' && subject !== '') issue('limit', 'Enter the name of the limit.');
    if (limit !== '' && subject === '' && question.api_key_id === '') issue('subject', 'Enter its subject, or a key.');
    if (limit === '' && question.path === '' && question.class === '')
      issue('path', 'Enter a path, or choose a class.');
    if (question.api_key_id !== '' && question.client_id !== '') issue('client_id', 'A request has a key or a client.');
    const { ip, user_id, api_key_id, client_id } = question;
    if (limit === '' && [ip, user_id, api_key_id, client_id].every((one) => one === ''))
      issue('ip', 'Enter an address, a user or a key.');
  });

const CLASSES = [{ value: '', label: 'By the route rules' }, ...CLASS_OPTIONS];

/** Finds the id of a key by its name or id. Empty stays empty. */
async function findKeyId(text: string): Promise<{ id: string } | { message: string }> {
  if (text === '' || isUuid(text)) return { id: text };
  try {
    const { value } = await call(listApiKeys, { query: { q: text, limit: '50' } });
    const named = value.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
    const [key, secondKey] = named.length > 0 ? named : value;
    if (key === undefined) return { message: 'No key has this name or id.' };
    return secondKey === undefined ? { id: key.id } : { message: 'Several keys match. Enter the id of one.' };
  } catch (error) {
    return { message: explainError(error).title };
  }
}

interface QuestionFormProps {
  initial: Omit<AskedQuestion, 'request_id'>;
  onAsk: (question: Omit<AskedQuestion, 'request_id'>) => void;
}

/** Form that describes any request of any caller. */
export function RequestForm({ initial, onAsk }: QuestionFormProps) {
  const start: z.input<typeof QuestionForm> = { ...initial, class: initial.class ?? '' };
  const form = useForm({ resolver: zodResolver(QuestionForm), defaultValues: start });
  const { control, register } = form;
  const ask = async (question: z.output<typeof QuestionForm>) => {
    const found = await findKeyId(question.api_key_id);
    if ('message' in found) form.setError('api_key_id', found);
    else onAsk({ ...question, api_key_id: found.id, class: question.class === '' ? null : question.class });
  };
  return (
    <form noValidate className="flex flex-col gap-3" onSubmit={form.handleSubmit(ask)}>
      <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2">
        <Field label="Method">
          {(ids) => <NativeSelect {...ids} {...register('method')} className="h-8 w-full" options={METHODS} />}
        </Field>
        <TextField control={control} name="path" label="Path" placeholder="/api/reports/7" code />
      </div>
      <Field label="Class">
        {(ids) => <NativeSelect {...ids} {...register('class')} className="h-8 w-full" options={CLASSES} />}
      </Field>
      <TextField control={control} name="ip" label="Address" placeholder="203.0.113.7" code optional />
      <TextField control={control} name="user_id" label="User" placeholder="user_1234" code optional />
      <TextField
        control={control}
        name="api_key_id"
        label="API key"
        hint="Its name or id, never its secret."
        placeholder="Mobile app"
        optional
        autoComplete="off"
      />
      <TextField control={control} name="client_id" label="OAuth client" placeholder="demo-client" code optional />
      <div className="grid grid-cols-2 gap-2">
        <TextField control={control} name="limit" label="Named limit" placeholder="sms" code optional />
        <TextField control={control} name="subject" label="Its subject" placeholder="+4915112345678" code optional />
      </div>
      <Button type="submit" className="self-end max-sm:w-full">
        Explain
      </Button>
    </form>
  );
}
