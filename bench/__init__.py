"""Speed: each module measures one part of the product, relative to a baseline where there is one."""
