/** The fields of a response that this example reads. */
interface Answered {
  readonly label: number;
  readonly outputs: readonly object[];
}

type Headers = Readonly<Record<string, string>>;

/** Returns functions that send requests to a server. */
export function client(url: string) {
  return {
    async post(path: string, body: unknown, headers: Headers = {}) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      };
      const response = await fetch(`${url}${path}`, init);
      const text = await response.text();
      return {
        status: response.status,
        version: response.headers.get('x-model-version'),
        body: (text === '' ? {} : JSON.parse(text)) as Answered,
      };
    },
    get: async (path: string, headers: Headers = {}) => (await fetch(`${url}${path}`, { headers })).text(),
  };
}
