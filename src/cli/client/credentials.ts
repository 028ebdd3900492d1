import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSecurityScheme,
} from '../../contracts/openapi-3-0.js'
import { propertyKey } from './identifiers.js'
import { RUNTIME } from './runtime.js'

/** How a client sends a scheme's credential: the name of the scheme, the header, and the prefix of the value. */
type Sent = readonly [scheme: string, header: string, prefix: string]

/** How a document's client sends the credential of each security scheme, by the name of the scheme. */
export type ClientSchemes = ReadonlyMap<string, Sent>

/**
 * Lists a document's schemes; `null` if the option `token` is sufficient, because the document has no scheme except a
 * bearer token.
 */
export function clientSchemes({ components }: OpenApiDocument): ClientSchemes | null {
  const entries = Object.entries(components?.securitySchemes ?? {})
  const isPlain = entries.every(([, scheme]) => isBearer(scheme))
  if (entries.length === 0 || (entries.length === 1 && isPlain)) return null
  const sent = entries.map(([name, scheme]) => [name, sentAs(name, scheme)] as const)
  return new Map(sent.filter((entry): entry is [string, Sent] => entry[1] !== null))
}

function isBearer({ type, scheme }: OpenApiSecurityScheme): boolean {
  return type === 'http' && scheme?.toLowerCase() === 'bearer'
}

/** Returns how a credential is sent; `null` if no header contains it, as for a certificate or a query parameter. */
function sentAs(name: string, scheme: OpenApiSecurityScheme): Sent | null {
  if (scheme.type === 'oauth2' || scheme.type === 'openIdConnect' || isBearer(scheme)) {
    return [name, 'Authorization', 'Bearer ']
  }
  if (scheme.type === 'http') return [name, 'Authorization', `${capital(scheme.scheme ?? '')} `]
  if (scheme.type !== 'apiKey' || scheme.name === undefined) return null
  if (scheme.in === 'header') return [name, scheme.name, '']
  return scheme.in === 'cookie' ? [name, 'Cookie', `${scheme.name}=`] : null
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Returns the alternative sets of credentials that an operation accepts. The credentials of a set are sent together.
 * The result is empty for a public operation.
 */
export function alternativesOf(
  { security }: OpenApiOperation,
  { schemes, document }: { readonly schemes: ClientSchemes; readonly document: OpenApiDocument },
): readonly (readonly Sent[])[] {
  return (security ?? document.security ?? [])
    .map((names) => Object.keys(names).flatMap((name) => sentBy(name, schemes)))
    .filter((alternative) => alternative.length > 0)
}

function sentBy(name: string, schemes: ClientSchemes): readonly Sent[] {
  const sent = schemes.get(name)
  return sent === undefined ? [] : [sent]
}

const TOKEN_OPTION =
  /( {2}\/\*\* The token for protected[^\n]*\n)( {2}readonly token\?: )([^\n]*)\n/
const TOKEN_MEMBER = '  readonly isProtected?: boolean;\n'
const ADD_TOKEN = '    if (call.isProtected === true) await addToken(headers, options.token);\n'
const TOKEN_FUNCTION = /async function addToken[\s\S]*?\n}\n/

/** Returns the runtime code of a client. With `schemes`, it accepts a credential for each scheme. */
export function runtimeWith(schemes: ClientSchemes | null): string {
  if (schemes === null) return RUNTIME
  const members = [...schemes.values()].map(
    ([name, header, prefix]) =>
      `    /** Sent as "${header}: ${prefix}...".${header === 'Cookie' ? ' Browsers send their own cookies, and ignore this value.' : ''} */\n    readonly ${propertyKey(name)}?: Credential;\n`,
  )
  const option = `  /** The credentials of protected operations, by security scheme. The first complete alternative is sent. */
  readonly credentials?: {
${members.join('')}  } | undefined;
  /** The token for schemes with "Authorization: Bearer ..." that are not in "credentials". */
  readonly token?: Credential;
`
  return RUNTIME.replace(TOKEN_OPTION, () => option)
    .replace('export type ClientOptions = {', () => `${CREDENTIAL}export type ClientOptions = {`)
    .replace(TOKEN_MEMBER, () => SECURITY_MEMBER)
    .replace(ADD_TOKEN, () => '    await addCredentials(headers, call.security ?? [], options);\n')
    .replace(TOKEN_FUNCTION, () => ADD_CREDENTIALS)
}

const CREDENTIAL = `/** A credential, or a function that returns a credential. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>) | undefined;

`

const SECURITY_MEMBER = `  /** Alternative sets of credentials: the scheme, the header, and the prefix of the value. */
  readonly security?: readonly (readonly (readonly [string, string, string])[])[];
`

const ADD_CREDENTIALS = `async function addCredentials(
  headers: Headers,
  alternatives: NonNullable<Call["security"]>,
  options: ClientOptions,
): Promise<void> {
  const given = new Map<string, Promise<string | undefined>>();
  const find = (scheme: string, prefix: string) => {
    const named = (options.credentials as { readonly [name: string]: Credential } | undefined)?.[scheme];
    const credential = named ?? (prefix === "Bearer " ? options.token : undefined);
    const value = given.get(scheme) ?? Promise.resolve(typeof credential === "function" ? credential() : credential);
    given.set(scheme, value);
    return value;
  };
  for (const alternative of alternatives) {
    const values = await Promise.all(alternative.map(([scheme, , prefix]) => find(scheme, prefix)));
    if (values.includes(undefined)) continue;
    alternative.forEach(([, header, prefix], index) => {
      const sent = header === "Cookie" && headers.has("Cookie") ? headers.get("Cookie") + "; " : "";
      headers.set(header, sent + prefix + values[index]);
    });
    return;
  }
}
`
