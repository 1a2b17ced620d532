'use client';

import { Send } from 'lucide-react';
import { RawRequest } from '@/components/oauth/builder/raw-request';
import { ENDPOINTS } from '@/components/oauth/builder/request-fields';
import { RequestForm } from '@/components/oauth/builder/request-form';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Button } from '@/components/ui/button';
import { Card, CardContent } from '@/components/ui/card';
import { Kbd } from '@/components/ui/kbd';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { BUILDER_TABS } from '@/lib/oauth/builder/builder-request';

const NAMES = { authorize: 'Authorize', token: 'Token', data: 'Data' } as const;

/** The pane in which a request is put together and sent. */
export function RequestPane({ wide }: { wide: boolean }) {
  const { state, dispatch, sending, send } = useBuilder();
  const { tab } = state;
  return (
    <Card aria-label="Request">
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            void send();
          }
        }}
      >
        <Tabs
          value={tab}
          onValueChange={(next) =>
            dispatch({ type: 'change', part: { tab: BUILDER_TABS.find((one) => one === next) ?? 'authorize' } })
          }
          className="flex flex-1 flex-col"
        >
          <TabsList aria-label="Request" className="px-4 pt-1">
            {BUILDER_TABS.map((one) => (
              <TabsTrigger key={one} value={one}>
                {NAMES[one]}
              </TabsTrigger>
            ))}
          </TabsList>
          {BUILDER_TABS.map((one) => (
            <TabsContent key={one} value={one} className="p-0">
              <CardContent className="pt-3">
                <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
                  <h2 className="min-w-0 font-mono text-sm font-medium">{ENDPOINTS[one]}</h2>
                  <span className="ml-auto flex items-center gap-2">
                    <Kbd className="max-sm:hidden">Ctrl ↵</Kbd>
                    <Button type="submit" pending={sending}>
                      <Send aria-hidden /> Send
                    </Button>
                  </span>
                </div>
                <div
                  className={
                    wide ? 'grid gap-x-6 gap-y-4 @2xl:grid-cols-[2fr_1fr] @6xl:grid-cols-1' : 'flex flex-col gap-5'
                  }
                >
                  <RequestForm wide={wide} />
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
