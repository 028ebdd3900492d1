import { defineParameter } from 'blazon'

/** The address of the caller, as the setting `trustProxy` of the application finds it. */
export const Ip = defineParameter((req) => req.ip ?? 'unknown')
