import { useState } from 'react';
import { useCall } from '@/components/api/use-call';
import { CodeExamples, CodeText } from '@/components/docs/code-examples';
import { checkSnippet, LANGUAGES } from '@/components/first-hour/check-snippets';
import { GatewayToken, type NewToken } from '@/components/first-hour/gateway-token';
import { StepText } from '@/components/first-hour/short-steps';
import { QueryPart } from '@/components/list/query-part';
import { Segmented } from '@/components/ui/segmented';
import { GATEWAYS, type Gateway, readGatewayRecipe, TOKEN_PLACEHOLDER } from '@/lib/contract/first-hour';

const WAYS = [
  { value: 'gateway', label: 'Gateway' },
  { value: 'code', label: 'Your code' },
  { value: 'proxy', label: 'Sluice as proxy' },
] as const;
type Way = (typeof WAYS)[number]['value'];

const GATEWAY_NAMES: Record<Gateway, string> = {
  nginx: 'nginx',
  caddy: 'Caddy',
  haproxy: 'HAProxy',
  apache: 'Apache',
  traefik: 'Traefik',
  envoy: 'Envoy',
};

/** Shows the ways to connect: a gateway that checks, code that checks, or Sluice as a proxy of the application. */
export function ConnectStep({ upstream }: { upstream: string | null }) {
  const [way, setWay] = useState<Way>(upstream ? 'proxy' : 'gateway');
  const [created, setCreated] = useState<NewToken | null>(null);
  const token = <GatewayToken created={created} onCreate={setCreated} />;
  return (
    <>
      <Segmented label="How to connect" value={way} onChange={setWay} options={WAYS} className="max-w-full" />
      {way === 'gateway' ? <GatewayWay created={created}>{token}</GatewayWay> : null}
      {way === 'code' ? <CodeWay created={created}>{token}</CodeWay> : null}
      {way === 'proxy' ? <ProxyWay upstream={upstream} /> : null}
    </>
  );
}

interface WayProps {
  created: NewToken | null;
  children: React.ReactNode;
}

function GatewayWay({ created, children }: WayProps) {
  const [gateway, setGateway] = useState<Gateway>('nginx');
  const recipe = useCall(
    ['gateway', gateway],
    readGatewayRecipe,
    { params: { gateway } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <>
      <StepText>
        The gateway in front of your application asks Sluice about every request before it forwards it. Your application
        stays as it is.
      </StepText>
      <Segmented
        label="Gateway"
        value={gateway}
        onChange={setGateway}
        options={GATEWAYS.map((value) => ({ value, label: GATEWAY_NAMES[value] }))}
        className="max-w-full max-sm:[&_button]:px-1.5"
      />
      {children}
      {window.location.protocol === 'https:' ? (
        <StepText>
          The gateway asks over TLS, at the address of this console, and verifies its certificate. If it can reach
          Sluice inside your network, use that address instead.
        </StepText>
      ) : null}
      <QueryPart query={recipe}>
        {({ value: { files, token_in, tested } }) => (
          <>
            {token_in === 'environment' ? (
              <CodeText name="environment" text={`SLUICE_TOKEN=${created?.token ?? TOKEN_PLACEHOLDER}`} />
            ) : null}
            {files.map(({ name, text }) => (
              <CodeText
                key={name}
                name={name}
                text={created ? text.replaceAll(TOKEN_PLACEHOLDER, created.token) : text}
              />
            ))}
            <StepText>
              Your application is at <code className="font-mono text-xs">127.0.0.1:8080</code> in this text: replace it
              with its address.{' '}
              {tested
                ? "Sluice's tests run this file."
                : "Based on the gateway's documentation; not run in Sluice's tests."}
            </StepText>
          </>
        )}
      </QueryPart>
    </>
  );
}

function CodeWay({ created, children }: WayProps) {
  const token = created?.token ?? TOKEN_PLACEHOLDER;
  return (
    <>
      <StepText>
        Your server asks Sluice before it answers, and answers 429 if the request is refused. For requests that arrive
        together, use <code className="font-mono text-xs">POST /v1/check/batch</code>.
      </StepText>
      {children}
      <CodeExamples
        samples={LANGUAGES.map((label) => ({ label, source: checkSnippet(label, window.location.origin, token) }))}
      />
    </>
  );
}

function ProxyWay({ upstream }: { upstream: string | null }) {
  if (upstream) {
    return (
      <StepText>
        Every request to this origin, except Sluice&apos;s own, is decided and passed to{' '}
        <code className="font-mono text-xs text-foreground">{upstream}</code>.
      </StepText>
    );
  }
  return (
    <>
      <StepText>
        Start Sluice with the address of your application, and send your clients to this origin. Every request except
        Sluice&apos;s own is decided and passed on.
      </StepText>
      <CodeText name="shell" text="SLUICE_UPSTREAM=http://127.0.0.1:8080 npm start" />
    </>
  );
}
