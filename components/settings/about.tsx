import { DetailList } from '@/components/list/detail-list';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';

/** What this installation is, without anything secret. */
export interface Installation {
  version: string;
  node: string;
  database: string;
  counters: string;
  upstream: string | null;
  trustedProxies: readonly string[];
  ietfHeaders: boolean;
  lab: boolean;
  providers: readonly string[];
}

/** Version, stores and configuration. */
export function About({ installation }: { installation: Installation }) {
  const { trustedProxies, providers } = installation;
  return (
    <Card>
      <CardHeader>
        <CardTitle>This installation</CardTitle>
      </CardHeader>
      <CardContent>
        <DetailList
          className="lg:grid-cols-3"
          details={[
            { name: 'Version', value: installation.version },
            { name: 'Node', value: installation.node },
            { name: 'Database', value: installation.database },
            { name: 'Counter store', value: installation.counters },
            { name: 'Upstream', value: installation.upstream ?? 'none' },
            { name: 'Trusted proxies', value: trustedProxies.length > 0 ? trustedProxies.join(', ') : 'none' },
            { name: 'IETF RateLimit fields', value: installation.ietfHeaders ? 'sent' : 'not sent' },
            { name: 'OAuth lab', value: installation.lab ? 'on' : 'off' },
            {
              name: 'Sign-in providers',
              value: providers.length > 0 ? providers.join(', ') : 'e-mail and password only',
            },
          ]}
        />
      </CardContent>
    </Card>
  );
}
