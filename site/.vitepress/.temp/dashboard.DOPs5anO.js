const _imports_2 = "/assets/dashboard.DgCO7s4T.png";
export {
  _imports_2 as _
};
