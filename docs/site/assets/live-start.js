// SPDX-License-Identifier: BSD-2-Clause
// Pages with live examples load the library; other pages do not.
document.addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector(".live")) return;
  const here = document.querySelector('script[src$="assets/live-start.js"]').getAttribute("src");
  const script = document.createElement("script");
  script.src = here.replace("live-start.js", "live.js");
  document.head.append(script);
});
