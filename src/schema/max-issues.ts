/** As many issues as an answer names. More would only make it large: who sends a body chooses how many fields are wrong. */
export const MAX_ISSUES = 20
