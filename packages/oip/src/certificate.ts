import { createSecureContext } from 'node:tls';
import type { ErrorDetails } from './errors.js';

/** A certificate and its private key in PEM. */
export interface CertificatePair {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** How an error names the certificate: the option of the server, and the flag of `brezel serve`. */
const CERT = 'tls.cert (--tls-cert)';
/** How an error names the private key. */
const KEY = 'tls.key (--tls-key)';

/**
 * Checks a certificate and a private key.
 * @throws the error of `fail`, which names the invalid part
 */
export function checkCertificate({ cert, key }: CertificatePair, fail: (details: ErrorDetails) => Error): void {
  const check = (at: string, expected: string, options: Partial<CertificatePair>) => {
    try {
      // Node ignores an empty certificate and an empty key.
      if (Object.values(options).some((pem) => pem.length === 0)) throw new Error('an empty text');
      createSecureContext(options);
    } catch (cause) {
      throw fail({ expected, received: (cause as Error).message, at, cause });
    }
  };
  check(CERT, 'a certificate in PEM', { cert });
  check(KEY, 'a private key in PEM, without a passphrase', { key });
  check(KEY, 'the private key of the certificate', { cert, key });
}
