import { zodResolver } from '@hookform/resolvers/zod';
import { Play } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { SubmittedForm } from '@/components/form/api-form';
import { TextField } from '@/components/form/fields/text-field';
import { formatSentence } from '@/components/form/format-sentence';
import { RoleButton } from '@/components/shell/role-button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { ServerTargetInput } from '@/lib/contract/assessment-target';

/** The address, with the errors of the API. */
const Values = z.object({
  url: z
    .string()
    .trim()
    .superRefine((url, context) => {
      const [issue] = ServerTargetInput.safeParse({ url }).error?.issues ?? [];
      if (issue !== undefined) context.addIssue(url === '' ? 'Required.' : formatSentence(issue.message));
    }),
});

interface OneAddressProps {
  address: string;
  /** Whether another form on the page has the main button. */
  secondary: boolean;
  onStart: (url: string) => void;
}

/** Form that assesses a server from one address. Sluice finds the kind of the address, and registers the clients. */
export function OneAddress({ address, secondary, onStart }: OneAddressProps) {
  const { control, handleSubmit } = useForm({ defaultValues: { url: address }, resolver: zodResolver(Values) });
  return (
    <Card aria-label="Assess from one address">
      <CardHeader>
        <CardTitle>Assess from one address</CardTitle>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        <SubmittedForm submit={handleSubmit(({ url }) => onStart(url))} className="flex flex-col gap-3">
          <TextField
            control={control}
            name="url"
            label="Issuer, MCP server or protected resource"
            code
            large
            type="url"
            inputMode="url"
            placeholder="https://mcp.example.com/mcp"
            suffix={
              <RoleButton needs="operator" type="submit" size="lg" variant={secondary ? 'outline' : 'default'}>
                <Play aria-hidden /> Assess
              </RoleButton>
            }
          />
        </SubmittedForm>
        <p className="text-sm text-muted-foreground">
          Sluice registers clients if the server offers that, and removes them at the end. You sign in once. It sends
          forged tokens, wrong secrets and invented codes, so assess only servers that you may test.
        </p>
      </CardContent>
    </Card>
  );
}
