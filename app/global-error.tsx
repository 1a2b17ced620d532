'use client';

/** Replaces a failed root layout, so it has its own document and no stylesheet. */
export default function GlobalError() {
  return (
    <html lang="en">
      <body style={{ fontFamily: 'system-ui', display: 'grid', placeItems: 'center', minHeight: '100dvh', margin: 0 }}>
        <main style={{ textAlign: 'center' }}>
          <h1 style={{ fontSize: 20 }}>Sluice cannot show this page</h1>
          <p>The server had a problem. Requests are still decided.</p>
          <button type="button" onClick={() => window.location.reload()}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
