import { QueryProvider } from '@/components/frame/query-provider';
import { IncidentBar } from '@/components/incident/incident-bar';
import { MemberProvider, type SignedInMember } from '@/components/shell/member';

const NO_PROVIDERS: readonly string[] = [];

/** Wraps the incident bar in the parts of the console shell that it needs. */
export default function MemberIncident({ member }: { member: SignedInMember }) {
  return (
    <MemberProvider member={member} address={null} lab={false} providers={NO_PROVIDERS}>
      <QueryProvider>
        <IncidentBar />
      </QueryProvider>
    </MemberProvider>
  );
}
