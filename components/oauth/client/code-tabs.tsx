import dynamic from 'next/dynamic';
import { useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { useClient } from '@/components/oauth/client/use-client';
import { SafeText } from '@/components/oauth/safe-text';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { CODE_LANGUAGES } from '@/lib/oauth/client/code/code-values';
import { buildWireRequest, formatHttp } from '@/lib/oauth/client/wire-request';

/** Loaded when the first code tab opens, together with its generators. */
const GeneratedCode = dynamic(() => import('@/components/oauth/client/generated-code'), { ssr: false });

/** Shows the request as sent, and as code that sends it. */
export function CodeTabs() {
  const [shown, setShown] = useState('HTTP');
  const language = CODE_LANGUAGES.find((name) => name === shown);
  return (
    <Tabs value={shown} onValueChange={setShown}>
      <TabsList aria-label="The request as">
        {['HTTP', ...CODE_LANGUAGES].map((name) => (
          <TabsTrigger key={name} value={name}>
            {name}
          </TabsTrigger>
        ))}
      </TabsList>
      <TabsContent value={shown} className="flex flex-col gap-2 pt-3">
        {language === undefined ? <HttpText /> : <GeneratedCode language={language} />}
      </TabsContent>
    </Tabs>
  );
}

function HttpText() {
  const text = formatHttp(buildWireRequest(useClient().planned));
  return (
    <>
      <div className="flex min-h-6 items-center justify-between gap-2">
        <span className="text-xs text-muted-foreground">As it is sent.</span>
        <CopyButton value={text} label="Copy HTTP" />
      </div>
      <SafeText label="The request as HTTP" text={text} className="max-h-96" />
    </>
  );
}
