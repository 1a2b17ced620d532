import { FailedSignInsCard } from '@/components/session/failed-sign-ins-card';
import { PasswordCard } from '@/components/session/password-card';
import { SecondFactorCard } from '@/components/session/second-factor-card';
import { SessionsCard } from '@/components/session/sessions-card';

/** Section "My account" of the settings. */
export default function AccountSection() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <SecondFactorCard />
        <PasswordCard />
      </div>
      <div className="grid min-w-0 gap-4">
        <SessionsCard />
        <FailedSignInsCard />
      </div>
    </div>
  );
}
