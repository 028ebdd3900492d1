import { defineOption, type Plugin } from 'blazon';

/** An option of routes and controllers: the header value that the plugin sends with their responses. */
export const SampleName = defineOption<string>('SampleName');

/** Adds a header to the responses of routes with the option. Other routes have no additional step. */
export const sampleNamePlugin: Plugin = {
  name: 'sample-name',
  contract: (route) =>
    route.option(SampleName) === undefined
      ? null
      : { headers: { 'x-sample-name': { schema: { type: 'string' } } } },
  steps(route) {
    const value = route.option(SampleName);
    if (value === undefined) return null;
    return {
      beforeHandler: (next) => (req, res) => {
        res.setHeader('x-sample-name', value);
        return next(req, res);
      },
    };
  },
};
