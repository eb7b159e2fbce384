// A page on which something runs is loaded again, unless somebody is at a button of it.
"use strict";
if (document.querySelector("[data-running]")) {
  const again = () => {
    if (document.hidden || document.activeElement.closest("main button")) setTimeout(again, 1000);
    else location.reload();
  };
  setTimeout(again, 3000);
}
