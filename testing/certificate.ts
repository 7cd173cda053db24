import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its private key in PEM. */
export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Creates a self-signed certificate of localhost with the command openssl. */
export function certificatePair(): CertificatePair {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    execFileSync('openssl', [...args, '-keyout', key, '-out', cert, '-subj', '/CN=localhost', '-days', '2'], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
