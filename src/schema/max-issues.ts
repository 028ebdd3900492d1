/**
 * The most validation issues in one response. The client chooses how many fields are wrong, so without a
 * limit it could make the response as large as it likes.
 */
export const MAX_ISSUES = 20
