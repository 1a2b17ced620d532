import { Copy, Send } from 'lucide-react';
import { toast } from 'sonner';
import { ENDPOINTS } from '@/components/oauth/builder/request-fields';
import { DataForm, RequestForm } from '@/components/oauth/builder/request-form';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Button } from '@/components/ui/button';
import { Card, CardContent } from '@/components/ui/card';
import { Kbd } from '@/components/ui/kbd';
import { Segmented } from '@/components/ui/segmented';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { asCurl, asFetch, asHttp, BUILDER_TABS, toRawRequest } from '@/lib/oauth/builder/builder-request';

const TAB_NAMES = { authorize: 'Authorize', token: 'Token', data: 'Data' };

/** The pane in which a request is put together and sent. */
export function RequestPane() {
  const { state, change, sending, send } = useBuilder();
  return (
    <Card aria-label="Request">
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void send();
        }}
      >
        <Tabs
          value={state.tab}
          onValueChange={(value) => change({ tab: BUILDER_TABS.find((tab) => tab === value) ?? 'authorize' })}
          className="flex flex-1 flex-col"
        >
          <TabsList aria-label="Request" className="px-4 pt-1">
            {BUILDER_TABS.map((tab) => (
              <TabsTrigger key={tab} value={tab}>
                {TAB_NAMES[tab]}
              </TabsTrigger>
            ))}
          </TabsList>
          {BUILDER_TABS.map((tab) => (
            <TabsContent key={tab} value={tab} className="p-0">
              <CardContent className="pt-3">
                <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
                  <h2 className="min-w-0 font-mono text-sm font-medium">{ENDPOINTS[tab]}</h2>
                  <span className="ml-auto flex items-center gap-2">
                    <Kbd className="max-sm:hidden">Ctrl ↵</Kbd>
                    <Button type="submit" pending={sending}>
                      <Send aria-hidden /> Send
                    </Button>
                  </span>
                </div>
                <div
                  className={
                    state.compare
                      ? 'grid gap-x-6 gap-y-4 @2xl:grid-cols-[2fr_1fr] @6xl:grid-cols-1'
                      : 'flex flex-col gap-5'
                  }
                >
                  {tab === 'data' ? <DataForm /> : <RequestForm />}
                  <RawRequest />
                </div>
              </CardContent>
            </TabsContent>
          ))}
        </Tabs>
      </form>
    </Card>
  );
}

/** The request as it is sent, and as code to copy. */
function RawRequest() {
  const { state, change, request } = useBuilder();
  const { issuer } = useLab();
  const raw = toRawRequest(request);
  const copy = async (text: string, what: string) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(`Copied as ${what}`);
    } catch {
      toast.error('The browser did not allow copying.');
    }
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">What is sent</h3>
        {state.tab === 'data' ? null : (
          <Segmented
            label="Body as"
            value={state.encoding}
            onChange={(encoding) => change({ encoding })}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
      </div>
      <SafeText label="The request as it is sent" text={asHttp(raw, issuer)} className="max-h-80" />
      <div className="flex flex-wrap gap-1.5">
        {Object.entries({ curl: asCurl, fetch: asFetch }).map(([name, asCode]) => (
          <Button key={name} variant="outline" size="sm" onClick={() => void copy(asCode(raw, issuer), name)}>
            <Copy aria-hidden /> {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
