import type { Request } from '../contracts/handler.js'
import type { RequestSecretTexts } from '../contracts/plugin.js'
import type { CredentialPlaces } from '../http/credentials.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { hideInUrl } from '../schema/hide-values.js'
import { credentialTexts } from './credential-texts.js'

/** Creates the function that hides the secrets of a request: secrets of schemas, credentials and cookies. */
export function secretTextsOf(
  secrets: RequestSecrets,
  places: CredentialPlaces,
): (req: Request) => RequestSecretTexts {
  return function secretsOf(req) {
    const hidden = secrets.hiddenWith(credentialTexts(req, places), req)
    return {
      hideIn: (text) => hidden.texts.hideIn(text),
      url: hideInUrl(req.originalUrl || req.url || '', hidden),
    }
  }
}
