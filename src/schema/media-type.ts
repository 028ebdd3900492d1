const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const QUOTED = '"(?:[\\t\\x20!#-\\[\\]-~]|\\\\[\\t\\x20-~])*"'
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`,
)

/** Whether a value is a media type with its parameters (RFC 9110, 8.3.1), or a range such as `image/*`. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && MEDIA_TYPE.test(value)
}
